# Cost against time, both of a million samples, a point a cell. Cells that no other beats in both are
# joined and named; both axes are logarithmic.
set xlabel x_label
set ylabel y_label
set logscale xy
set autoscale xfix
set autoscale yfix
set offsets graph 0.55, graph 0.06, graph 0.08, graph 0.14
set xtics ()
set ytics ()
do for [power = -9:9] {
  do for [step in '1 2 5'] {
    set xtics add (sprintf('%g', step * 10.0 ** power) step * 10.0 ** power)
    set ytics add (sprintf('%g', step * 10.0 ** power) step * 10.0 ** power)
  }
}
set rmargin 3
# What another beats in both lies above and to the right of it: names stand where nothing can.
do for [i = 1:front_count] {
  set label (100 + i) front_name[i] at first word($front[i], 1), first word($front[i], 2) right offset -0.8, -0.7 \
    textcolor rgb colour[1]
}
plot $front using 1:2 title 'none is both faster and cheaper' with steps linewidth 1.5 linecolor rgb colour[1], \
     $data using 1:2:3:4:5:6 title 'cell' \
       with xyerrorbars pointtype mark[1] pointsize 0.5 linewidth 1 linecolor rgb '#7a7a7a', \
     $front using 1:2 notitle with points pointtype mark[1] pointsize 0.9 linecolor rgb colour[1]
