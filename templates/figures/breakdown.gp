# Mean step time as a stack of its phases; the mark with error bars is the whole step.
set ylabel y_label
set style data histograms
set style histogram rowstacked
set boxwidth 0.65
set style fill solid 0.85 noborder
set xrange [-0.6 : bar_count - 0.4]
set yrange [0 : *]
if (bar_count > 2 || bar_count * longest_name > 40) set xtics rotate by -30
plot for [i = 1:phase_count] $data using (column(i + 3)) title phase_name[i] linecolor rgb colour[i], \
     $data using 0:1:2:3 title 'whole step' \
       with yerrorbars pointtype 7 pointsize 0.35 linewidth 1.3 linecolor rgb 'black'
