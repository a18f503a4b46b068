# Loaded before every figure: size, type and colours. Okabe and Ito's palette, without the colours that
# are too pale on white; every colour has a contrast of 3:1 on white and on a dark page. Type is large for
# the width, so that it can be read on a phone.
set encoding utf8
# A line a bar, where bars lie; a line a name, where names are listed below; a second panel below the first.
height = exists('bar_count') ? 270 + 30 * bar_count : exists('key_lines') ? 380 + 26 * key_lines : 430
height = height + (exists('has_efficiency') && has_efficiency ? 260 : 0)
set terminal svg noenhanced size 640,height dynamic font 'Helvetica,Arial,sans-serif,15' linewidth 1.2
array colour[8] = ['#0072b2', '#d55e00', '#009e73', '#c4649a', '#a8780c', '#7a7a7a', '#2a8fc4', '#95614f']
array mark[8] = [7, 5, 9, 11, 13, 6, 4, 8]
set title title_text
set border 3
set tics nomirror out
set xtics offset 0, 0.3
set xlabel offset 0, 0.5
set grid ytics linewidth 0.5 linecolor rgb '#b08c8c8c' dashtype 1
# The legend never stands on the data.
set key below center horizontal Left reverse samplen 2 spacing 1.2 width -4
set bars 0.8
set samples 500
set offsets graph 0, graph 0, graph 0.03, graph 0
# Names that stand where their series end have the margin that they need.
if (exists('series_count')) {
  longest_name = 0
  do for [i = 1:series_count] {
    longest_name = strlen(series_name[i]) > longest_name ? strlen(series_name[i]) : longest_name
  }
  label_margin = 3 + 0.95 * longest_name
}
