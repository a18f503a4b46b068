# Bandwidth or time against the size of a message: mean and interval; both axes are logarithmic.
# Dashed and without marks: the line time = latency + size/bandwidth that was fitted to the means.
line_time_s(i, x) = line_alpha_s[i] + x / line_bandwidth[i]
line_y(i, x) = is_time ? 1e6 * line_time_s(i, x) : 1e-9 * line_factor[i] * x / line_time_s(i, x)
has_fit(i) = line_alpha_s[i] == line_alpha_s[i]  # not NaN
set xlabel x_label
set ylabel y_label
set logscale xy
pad = (real(x_most) / x_least) ** 0.03
set xrange [x_least / pad : x_most * pad]
set autoscale yfix
set offsets 0, 0, graph 0.05, graph 0.05
set format y '%g'
plot for [i = 1:series_count] line_y(i, x) notitle \
       with lines dashtype 2 linewidth 1.2 linecolor rgb colour[i], \
     for [i = 1:series_count] $data index (i - 1) using 1:(has_fit(i) ? NaN : $2) notitle \
       with lines linewidth 1.5 linecolor rgb colour[i], \
     for [i = 1:has_line] NaN title (has_line ? 'fitted: latency + size/bandwidth' : '') \
       with lines dashtype 2 linewidth 1.2 linecolor rgb '#8c8c8c', \
     for [i = 1:series_count] $data index (i - 1) using 1:2:3:4 title series_name[i] \
       with yerrorbars pointtype mark[i] pointsize 0.7 linewidth 1.5 linecolor rgb colour[i]
