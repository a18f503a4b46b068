# Mean step time as a stack of its phases, a line a cell; the mark with error bars is the whole step. Names
# have the room beside the bars that they need, or stand above them where that would leave bars too little.
names_on_top = exists('names_above') && names_above
name_width = names_on_top || !exists('bar_name_width') ? 12 : bar_name_width
bar_top = names_on_top ? -0.1 : -0.33
bar_bottom = names_on_top ? 0.38 : 0.33
set lmargin at screen (name_width + 26) / 640.0  # of which 22 for the tics
set rmargin at screen 618 / 640.0
set title title_text offset screen 0.5 - (name_width + 644) / 1280.0, 0  # in the middle of the figure
if (names_on_top) {
  set ytics left scale 0 offset graph 0.025, first -0.32
}
stats $data using 3 nooutput  # the ends of the error bars
order = 10 ** floor(log10(STATS_max / 4))
quarter = STATS_max / 4 / order
set xtics order * (quarter < 1.4 ? 1 : quarter < 3 ? 2 : quarter < 7 ? 5 : 10)  # 3 to 7 of them
set xlabel y_label
set style fill solid 0.85 noborder
set grid noytics xtics
set xrange [0 : STATS_max * 1.02]
set yrange [bar_count - 0.4 : -0.6]
set offsets 0, 0, 0, 0
from(i) = (sum [k = 4 : i + 2] column(k))
plot for [i = 1:phase_count] $data using (0):0:(from(i)):(from(i + 1)):($0 + bar_top):($0 + bar_bottom) \
       with boxxyerror title phase_name[i] linecolor rgb colour[i], \
     $data using 1:($0 + 0.5 * (bar_top + bar_bottom)):2:3 title 'whole step' \
       with xerrorbars pointtype 7 pointsize 0.35 linewidth 1.3 linecolor rgb 'black'
