# Throughput against devices: mean and interval, and the line of ideal scaling from each series' first
# point (dotted). Where numbers of devices are too far apart for a linear axis both are logarithmic, so that
# ideal lines are straight there too.
set xlabel x_label
set ylabel y_label
# Ideal lines may leave the figure, so that they do not press the data together.
stats $data using 4 name 'highest' nooutput
if (exists('is_log') && is_log) {
  stats $data using ($3 > 0 ? $3 : $2) name 'lowest' nooutput
  set logscale x 2
  set logscale y 2
  pad = (real(x_most) / x_least) ** 0.05
  set xrange [x_least / pad : x_most * pad]
  set yrange [lowest_min / 1.25 : 1.25 * highest_max]
} else {
  pad = 0.06 * (x_most - x_least)
  set xrange [x_least - pad : x_most + pad]
  set yrange [0 : 1.25 * highest_max]
}
set format y '%.10g'
# Names stand where their series end, where they do not cover each other; else in the legend.
if (has_labels) {
  set rmargin exists('label_margin') ? label_margin : 18
  do for [i = 1:series_count] {
    set label (100 + i) series_name[i] at first end_x[i], first end_y[i] left offset 1.2, 0 textcolor rgb colour[i]
  }
}
plot for [i = 1:series_count] (x < ideal_from[i] ? NaN : ideal_per_device[i] * x) notitle \
       with lines dashtype 3 linewidth 1 linecolor rgb colour[i], \
     for [i = 1:series_count] $data index (i - 1) using 1:2 notitle \
       with lines linewidth 1.5 linecolor rgb colour[i], \
     for [i = 1:series_count] $data index (i - 1) using 1:2:3:4 title (has_labels ? '' : series_name[i]) \
       with yerrorbars pointtype mark[i] pointsize 0.8 linewidth 1.5 linecolor rgb colour[i], \
     NaN title 'ideal' with lines dashtype 3 linewidth 1.5 linecolor rgb '#8c8c8c'
