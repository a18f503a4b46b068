# Cost against time, both of a million samples, a point a cell. Cells that no other beats in both are
# joined, and named in the legend; both axes are logarithmic.
set xlabel x_label
set ylabel y_label
set logscale xy
set autoscale xfix
set autoscale yfix
set offsets graph 0.06, graph 0.06, graph 0.08, graph 0.08
set rmargin 3
plot $front using 1:2 title 'none is both faster and cheaper' with steps linewidth 1.5 linecolor rgb 'black', \
     $data using 1:2:3:4:5:6 title 'cell' \
       with xyerrorbars pointtype mark[1] pointsize 0.5 linewidth 1 linecolor rgb '#7a7a7a', \
     for [i = 1:front_count] $front every ::(i - 1)::(i - 1) using 1:2 title front_name[i] \
       with points pointtype mark[i] pointsize 0.9 linecolor rgb colour[i]
