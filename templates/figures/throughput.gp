# Throughput against devices: mean and interval, and the line of ideal scaling from each series' first
# point (dotted).
set xlabel x_label
set ylabel y_label
pad = 0.06 * (x_most - x_least)
set xrange [x_least - pad : x_most + pad]
set yrange [0 : *]
set format y '%.0f'
# Names stand where their series end, where they do not cover each other; else in the legend.
if (has_labels) {
  set key inside left top
  set rmargin 18
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
     NaN title 'ideal (dotted)' with lines dashtype 3 linewidth 1.5 linecolor rgb '#8c8c8c'
