# Speedup against an axis: mean and interval, the level of the threshold, and where it lies: the bracket
# between tested values is shaded lightly, the pieces of the interval of the crossing more. Below it
# efficiency, where more than two numbers of devices were measured.
set ylabel y_label
# Both axes are logarithmic: the straight line drawn between two points is the interpolation that the
# crossing is read from, so that it crosses the level inside the interval shown. Where a value is not above
# 0 nothing is interpolated: x is nearly linear up to the value nearest to 0, and nearly logarithmic from it on.
if (x_first > 0) {
  set logscale x 2
  pad = (real(x_last) / x_first) ** 0.05
  set xrange [x_first / pad : x_last * pad]
} else {
  unit = real(x_nearest)
  place(x) = asinh(x / unit)
  set nonlinear x via place(x) inverse unit * sinh(x)
  pad = 0.05 * (place(x_last) - place(x_first))
  set xrange [unit * sinh(place(x_first) - pad) : unit * sinh(place(x_last) + pad)]
}
set logscale y 2
set autoscale yfix
set offsets 0, 0, graph 0.08, graph 0.08
shade(kind) = 0.18 * kind
shade_of_both = 1 - (1 - shade(1)) * (1 - shade(2))  # the interval lies on the bracket
bracketed = 1
interpolated = 1
has_bracket = 0
has_interval = 0
do for [i = 1:range_count] {
  set object i rectangle from first range_from[i], graph 0 to first range_to[i], graph 1 behind \
    fillcolor rgb colour[range_series[i]] fillstyle transparent solid shade(range_kind[i]) noborder
  if (range_kind[i] == 1) {
    has_bracket = 1
    bracketed = range_series[i]
  } else {
    has_interval = 1
    interpolated = range_series[i]
  }
}
# Names stand where their series end, where they do not cover each other and are short; else in the legend.
if (has_log_labels) {
  set rmargin exists('label_margin') ? label_margin : 18
  do for [i = 1:series_count] {
    set label (100 + i) series_name[i] at first end_x[i], first end_y[i] left offset 1.2, 0 textcolor rgb colour[i]
  }
}
if (has_efficiency) {
  set multiplot
  set lmargin at screen 88.0 / 640
  set ylabel offset 0.9, 0
  set origin 0, 260.0 / height
  set size 1, 1 - 260.0 / height
  if (has_log_labels && !has_bracket && !has_interval) {
    unset key
    set bmargin at screen (panel + 50.0) / height
  }
} else {
  set xlabel x_label
}
plot level title level_name with lines dashtype 2 linewidth 1.2 linecolor rgb 'black', \
     for [i = 1:series_count] $data index (i - 1) using 1:2 notitle \
       with lines linewidth 1.5 linecolor rgb colour[i], \
     for [i = 1:series_count] $data index (i - 1) using 1:2:3:4 title (has_log_labels ? '' : series_name[i]) \
       with yerrorbars pointtype mark[i] pointsize 0.8 linewidth 1.5 linecolor rgb colour[i], \
     for [i = 1:has_bracket] NaN title (has_bracket ? 'tested bracket' : '') \
       with boxes fillcolor rgb colour[bracketed] fillstyle transparent solid shade(1) noborder, \
     for [i = 1:has_interval] NaN title (has_interval ? interval_name : '') \
       with boxes fillcolor rgb colour[interpolated] fillstyle transparent solid shade_of_both noborder
if (has_efficiency) {
  unset object
  unset title
  unset logscale y
  set origin 0, 0
  set bmargin at screen 72.0 / height
  set size 1, 260.0 / height
  set xlabel x_label
  set ylabel 'efficiency (%)' offset 0.9, 0
  set yrange [0 : *]
  set offsets 0, 0, graph 0.08, 0
  set ytics autofreq
  do for [i = 1:series_count] {
    unset label (100 + i)
  }
  plot 100 notitle with lines dashtype 2 linewidth 1.2 linecolor rgb 'black', \
       for [i = 1:series_count] $efficiency index (i - 1) using 1:2 notitle \
         with lines linewidth 1.5 linecolor rgb colour[i], \
       for [i = 1:series_count] $efficiency index (i - 1) using 1:2:3:4 notitle \
         with yerrorbars pointtype mark[i] pointsize 0.8 linewidth 1.5 linecolor rgb colour[i]
  unset multiplot
}
