# Speedup against an axis: mean and interval, the level of the threshold, and where it lies: the bracket
# between tested values is shaded lightly, the interval of the crossing more.
set xlabel x_label
set ylabel y_label
set logscale x 2
pad = (real(x_most) / x_least) ** 0.05
set xrange [x_least / pad : x_most * pad]
# Both axes are logarithmic: the straight line drawn between two points is the interpolation that the
# crossing is read from, so that it crosses the level inside the interval shown.
set logscale y 2
set autoscale yfix
set offsets 0, 0, graph 0.08, graph 0.08
set ytics (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.4, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512)
do for [i = 1:range_count] {
  set object i rectangle from first range_from[i], graph 0 to first range_to[i], graph 1 behind \
    fillcolor rgb colour[range_series[i]] fillstyle transparent solid 0.18 * range_kind[i] noborder
}
bracketed = 0
interpolated = 0
do for [i = 1:range_count] {
  if (range_kind[i] == 1) { bracketed = 1 } else { interpolated = 1 }
}
# Names stand where their series end, where they do not cover each other and are short; else in the legend,
# long ones below.
if (exists('key_lines')) {
  has_log_labels = 0
  set key below vertical maxcols 1 Left reverse
}
if (has_log_labels) {
  set key inside left top
  set rmargin 18
  do for [i = 1:series_count] {
    set label (100 + i) series_name[i] at first end_x[i], first end_y[i] left offset 1.2, 0 textcolor rgb colour[i]
  }
}
plot level title sprintf('level %g', level) with lines dashtype 2 linewidth 1.2 linecolor rgb 'black', \
     for [i = 1:series_count] $data index (i - 1) using 1:2 notitle \
       with lines linewidth 1.5 linecolor rgb colour[i], \
     for [i = 1:series_count] $data index (i - 1) using 1:2:3:4 title (has_log_labels ? '' : series_name[i]) \
       with yerrorbars pointtype mark[i] pointsize 0.8 linewidth 1.5 linecolor rgb colour[i], \
     for [i = 1:bracketed] NaN title 'bracket' \
       with boxes fillcolor rgb '#8c8c8c' fillstyle transparent solid 0.24 noborder, \
     for [i = 1:interpolated] NaN title 'interval of crossing' \
       with boxes fillcolor rgb '#8c8c8c' fillstyle transparent solid 0.6 noborder
