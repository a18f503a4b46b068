# Bandwidth or time against the size of a message: mean and interval; both axes are logarithmic.
set xlabel x_label
set ylabel y_label
set logscale xy
set key below vertical maxcols 1 Left reverse  # names of settings are long
pad = (real(x_most) / x_least) ** 0.03
set xrange [x_least / pad : x_most * pad]
set autoscale yfix
set offsets 0, 0, graph 0.05, graph 0.05
set format y '%g'
plot for [i = 1:series_count] $data index (i - 1) using 1:2 notitle \
       with lines linewidth 1.5 linecolor rgb colour[i], \
     for [i = 1:series_count] $data index (i - 1) using 1:2:3:4 title series_name[i] \
       with yerrorbars pointtype mark[i] pointsize 0.7 linewidth 1.5 linecolor rgb colour[i]
