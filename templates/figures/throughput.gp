# Throughput against devices: mean and interval, and the line of ideal scaling from each series' first
# point (dotted).
set xlabel x_label
set ylabel y_label
pad = 0.06 * (x_most - x_least)
set xrange [x_least - pad : x_most + pad]
set yrange [0 : *]
set format y '%.0f'
plot for [i = 1:series_count] (x < ideal_from[i] ? NaN : ideal_per_device[i] * x) notitle \
       with lines dashtype 3 linewidth 1 linecolor rgb colour[i], \
     for [i = 1:series_count] $data index (i - 1) using 1:2 notitle \
       with lines linewidth 1.5 linecolor rgb colour[i], \
     for [i = 1:series_count] $data index (i - 1) using 1:2:3:4 title series_name[i] \
       with yerrorbars pointtype mark[i] pointsize 0.8 linewidth 1.5 linecolor rgb colour[i], \
     NaN title 'ideal (dotted)' with lines dashtype 3 linewidth 1.5 linecolor rgb '#8c8c8c'
