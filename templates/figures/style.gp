# Loaded before every figure: size, type and colours. Okabe and Ito's palette, without the colours that
# are too pale on white; every colour has a contrast of 3:1 on white and on a dark page. Type is large for
# the width, so that it can be read on a phone.
set encoding utf8
# How wide a text is at most, in pixels: in DejaVu Sans, which is wide and stands where Helvetica is missing.
# What is neither narrow nor usual has the width of an m.
character_width(c) = strstrt(' !\(),-./:;IJ[]fijlrt|', c) ? 6.2 : \
                     strstrt('"$*?EFLPSTY_abcdeghknopqsuvxyz{}0123456789†·–', c) ? 9.6 : \
                     strstrt('#&+<=>ABCDGHKNOQRUVXZ^w~', c) ? 12.7 : 15
text_width(text) = (sum [n = 1:strlen(text)] character_width(text[n:n]))
# What the legend holds: names of series, unless they stand where the series end, and what the script of
# the kind adds to them.
key_count = 0
key_longest = 0  # characters, by which gnuplot makes room
key_width = 0
add_key(name) = (key_count = key_count + 1, key_longest = strlen(name) > key_longest ? strlen(name) : key_longest, \
                 key_width = text_width(name) > key_width ? text_width(name) : key_width)
nothing = 0
if (exists('level')) {
  kinds_shaded = 0
  do for [i = 1:range_count] {
    kinds_shaded = kinds_shaded | range_kind[i]
  }
  nothing = add_key(level_name)
  nothing = kinds_shaded & 1 ? add_key('tested bracket') : 0
  nothing = kinds_shaded & 2 ? add_key(interval_name) : 0
  names_in_key = !has_log_labels
} else { if (exists('ideal_from')) {
  nothing = add_key('ideal')
  names_in_key = !has_labels
} else { if (exists('line_alpha_s')) {
  nothing = has_line ? add_key('fitted: latency + size/bandwidth') : 0
  names_in_key = 1
} else { if (exists('goals')) {
  nothing = words(goals) ? add_key('to reach') : 0
  names_in_key = !has_labels
} else { if (exists('series_count')) {
  nothing = add_key('projected')
  nothing = add_key('held out of the fit')
  names_in_key = 1
} else { if (exists('phase_count')) {
  nothing = add_key('whole step')
  do for [i = 1:phase_count] {
    nothing = add_key(phase_name[i])
  }
} else { if (exists('front_count')) {
  nothing = add_key('cell')
  nothing = add_key('none is both faster and cheaper')
  do for [i = 1:front_count] {
    nothing = add_key(front_name[i])
  }
} else {
  nothing = add_key('mean of the cell')
  nothing = add_key('trial')
  nothing = exists('has_flagged') && has_flagged ? add_key('marked as outlier') : 0
}}}}}}}
if (exists('series_count') && names_in_key) {
  do for [i = 1:series_count] {
    nothing = add_key(series_name[i])
  }
}
# As many columns as fit, of the widest name and its sample.
key_width = key_width + 66 > 632 ? 632 : key_width + 66
key_columns = key_width > 595 ? 1 : int(595 / key_width)
key_rows = (key_count + key_columns - 1) / key_columns
key_height = 27 * (key_rows > 1 ? key_rows : 1)
# Names of bars that would take half of the figure stand above their bars.
bar_name_width = 0
if (exists('bar_name')) {
  do for [i = 1:bar_count] {
    bar_name_width = text_width(bar_name[i]) > bar_name_width ? text_width(bar_name[i]) : bar_name_width
  }
}
names_above = bar_name_width > 290
# A line a bar, where bars lie; a line a row of the legend, so that the plot keeps its height; a second
# panel below the first.
height = (exists('bar_count') ? 243 + (names_above ? 42 : 30) * bar_count : 403) + key_height
panel = exists('has_efficiency') && has_efficiency ? 260 : 0
height = height + panel
set terminal svg noenhanced size 640,height dynamic font 'Helvetica,Arial,sans-serif,15' linewidth 1.2
array colour[8] = ['#0072b2', '#d55e00', '#009e73', '#c4649a', '#a8780c', '#7a7a7a', '#2a8fc4', '#95614f']
array mark[8] = [7, 5, 9, 11, 13, 6, 4, 8]
set title title_text
set border 3
set tics nomirror out
set xtics offset 0, 0.3
set xlabel offset 0, 0.5
set grid ytics linewidth 0.5 linecolor rgb '#b08c8c8c' dashtype 1
# The legend never stands on the data: it lies below the plot, in the middle of the figure, however wide the
# names beside the plot are. gnuplot takes 10.5 a character and 53 for the sample. It fills columns: of rows it
# would make fewer columns than fit, and more rows, where names beside the plot leave the plot little width.
# One column of wide names begins where it should: in its middle it would be put no wider than the plot.
set bmargin at screen real(panel + (panel ? 50 : 76) + key_height) / height
set key at screen 0.5, screen real(panel + 4 + key_height) / height center top \
  Left reverse samplen 2 spacing 1.2 width (key_width - 53) / 10.5 - key_longest
if (key_columns > 1) {
  set key vertical maxrows key_rows
} else {
  set key at screen (640 - key_width) / 1280.0, screen real(panel + 4 + key_height) / height left top horizontal maxcols 1
}
set bars 0.8
set samples 500
set offsets graph 0, graph 0, graph 0.03, graph 0
# Names that stand where their series end have the margin that they need, in gnuplot's characters of 10.5
# pixels. The title is in the middle of the figure all the same: the other margin takes about 70.
if (exists('series_count')) {
  name_width = 0
  do for [i = 1:series_count] {
    name_width = text_width(series_name[i]) > name_width ? text_width(series_name[i]) : name_width
  }
  label_margin = (name_width + 20) / 10.5
  if (!names_in_key) {
    set title offset screen (10.5 * label_margin - 70) / 1280, 0
  }
}
