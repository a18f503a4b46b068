# Every trial as a dot: its step time in percent of the mean of its cell, against its block, from the
# first to the last of the study. Marked ones are crosses; the line is the mean.
set xlabel 'block, in the order of the run'
set ylabel y_label
set xrange [x_least - 0.5 : x_most + 0.5]
set xtics 1, (x_most - x_least > 20 ? ceil((x_most - x_least) / 10.0) : 1)
set autoscale yfix
set offsets 0, 0, graph 0.06, graph 0.06
set format y '%g'
# Trials of one block stand beside each other, in the order of cells, so that none hides another.
shift(i) = 0.5 * (i - 10 * floor(i / 10.0) - 4.5) / 10.0
plot 100 title 'mean of the cell' with lines dashtype 2 linewidth 1.2 linecolor rgb 'black', \
     $data using ($1 + shift($0)):2 title 'trial' \
       with points pointtype 7 pointsize 0.5 linecolor rgb colour[1], \
     for [i = 1:has_flagged] $flagged using ($1 + shift($0)):2 title (has_flagged ? 'marked as outlier' : '') \
       with points pointtype 2 pointsize 0.8 linewidth 1.5 linecolor rgb colour[2]
