# Learning curves: means over trials with intervals, an epoch a point; what the study wants to reach is
# dashed.
set xlabel x_label
set ylabel y_label
pad = 0.04 * (x_most - x_least)
set xrange [x_least - pad : x_most + pad]
set format y '%g'
# Names stand where their series end, where they do not cover each other; else in the legend.
if (has_labels) {
  set rmargin exists('label_margin') ? label_margin : 18
  do for [i = 1:series_count] {
    set label (100 + i) series_name[i] at first end_x[i], first end_y[i] left offset 1.2, 0 textcolor rgb colour[i]
  }
}
goal(i) = i > words(goals) ? NaN : real(word(goals, i))
plot for [i = 1:series_count] $data index (i - 1) using 1:2 notitle \
       with lines linewidth 1.5 linecolor rgb colour[i], \
     for [i = 1:series_count] $data index (i - 1) using 1:2:3:4 title (has_labels ? '' : series_name[i]) \
       with yerrorbars pointtype mark[i] pointsize 0.8 linewidth 1.5 linecolor rgb colour[i], \
     for [i = 1:(words(goals) > 1 ? words(goals) : 1)] goal(i) title (i == 1 && words(goals) ? 'to reach' : '') \
       with lines dashtype 2 linewidth 1.5 linecolor rgb '#8c8c8c'
