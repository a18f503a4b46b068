# Loaded before every figure: size, type and colours. Okabe and Ito's palette, without the colours that
# are too pale on white; every colour has a contrast of 3:1 on white and on a dark page.
set encoding utf8
# A line a bar, where bars lie; a line a name, where names are listed below.
height = exists('bar_count') ? 170 + 28 * bar_count : exists('key_lines') ? 396 + 24 * key_lines : 420
set terminal svg noenhanced size 760,height dynamic font 'Helvetica,Arial,sans-serif,14' linewidth 1.2
array colour[8] = ['#0072b2', '#d55e00', '#009e73', '#c4649a', '#a8780c', '#7a7a7a', '#2a8fc4', '#95614f']
array mark[8] = [7, 5, 9, 11, 13, 6, 4, 8]
set title title_text
set border 3
set tics nomirror out
set grid ytics linewidth 0.5 linecolor rgb '#8c8c8c' dashtype 3
set key outside right top vertical Left reverse samplen 2 spacing 1.15
set bars 0.8
set samples 500
set offsets graph 0, graph 0, graph 0.03, graph 0
