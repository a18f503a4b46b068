# Mean step time as a stack of its phases, a line a cell, whose names have the room that they need; the
# mark with error bars is the whole step.
# Few tics: names may leave little room.
stats $data using 3 nooutput  # the ends of the error bars
order = 10 ** floor(log10(STATS_max / 4))
set xtics order * (STATS_max / 4 < 2 * order ? 2 : STATS_max / 4 < 5 * order ? 5 : 10)
set xlabel y_label
set style fill solid 0.85 noborder
set grid noytics xtics
set xrange [0 : STATS_max * 1.02]
set yrange [bar_count - 0.4 : -0.6]
set offsets 0, 0, 0, 0
from(i) = (sum [k = 4 : i + 2] column(k))
plot for [i = 1:phase_count] $data using (0):0:(from(i)):(from(i + 1)):($0 - 0.33):($0 + 0.33) \
       with boxxyerror title phase_name[i] linecolor rgb colour[i], \
     $data using 1:0:2:3 title 'whole step' \
       with xerrorbars pointtype 7 pointsize 0.35 linewidth 1.3 linecolor rgb 'black'
