# Time of a step against devices. Measured: marks with intervals, ringed where the check left the
# count out of its fit. Projected from these and not measured: open diamonds on a dashed line.
set xlabel x_label
set ylabel y_label
set logscale x 2
pad = (real(x_most) / x_least) ** 0.05
set xrange [x_least / pad : x_most * pad]
set yrange [0 : *]
set format y '%g'
plot for [i = 1:series_count] $line index (i - 1) using 1:2 notitle \
       with lines dashtype 2 linewidth 1.5 linecolor rgb colour[i], \
     for [i = 1:series_count] $measured index (i - 1) using 1:2:3:4 title series_name[i] \
       with yerrorbars pointtype mark[i] pointsize 0.8 linewidth 1.5 linecolor rgb colour[i], \
     for [i = 1:series_count] $measured index (i - 1) using 1:($5 == 1 ? $2 : NaN) notitle \
       with points pointtype 6 pointsize 1.6 linewidth 1.5 linecolor rgb colour[i], \
     for [i = 1:series_count] $projected index (i - 1) using 1:2:3:4 notitle \
       with yerrorbars pointtype 12 pointsize 1.3 linewidth 1.5 linecolor rgb colour[i], \
     NaN title 'held out of the fit' with points pointtype 6 pointsize 1.6 linecolor rgb '#8c8c8c', \
     NaN title 'projected' with linespoints pointtype 12 pointsize 1.3 dashtype 2 linecolor rgb '#8c8c8c'
