# Reads C++ headers as this project writes them, and prints one line per public thing, in order, its fields parted by tabs:
#   kind  depth  text  comment before it (///)  comment behind it (//)
# Kinds: header, with its leading comment; open and close of a class, struct or enum; decl; value, of an enum.
# A declaration is one line however it was broken. Bodies of functions, what is private and forward declarations are left
# out. It understands strings, not macros: the headers have none.

function trim(text) {
  gsub(/[ \t]+/, " ", text)
  sub(/^ /, "", text)
  sub(/ $/, "", text)
  return text
}

function with(before, more) { return before == "" ? more : before " " more }

# hidden[depth]: is what stands there private? A namespace adds no depth, unless it is called detail.
function shown() { return hidden[scopes] == 0 }

function depth(i, count) {
  for (i = 1; i <= scopes; i++) {
    if (kind[i] != "namespace") count++
  }
  return count + 0
}

function emit(what, text) {
  if (shown()) {
    items++
    line[items] = what "\t" depth() "\t" text
    before[items] = doc
    behind[items] = waiting
  }
  doc = waiting = ""
}

function is_scope(text) {
  return text ~ /^(inline )?namespace/ || (text ~ /^(template *<.*> *)?(class|struct|union|enum)[ {]/ && text !~ /[(=]/)
}

function is_function(text) { return text ~ /\) *((const|noexcept|override|final|&&?) *)*$/ || text ~ /\) *: *[a-z_]/ }

function open_scope(text) {
  if (text !~ /namespace/) emit("open", text)
  scopes++
  kind[scopes] = text ~ /namespace/ ? "namespace" : text ~ /^enum/ ? "enum" : "class"
  inherited[scopes] = hidden[scopes - 1]
  hidden[scopes] = inherited[scopes] || text ~ /namespace detail/ || text ~ /^(template *<.*> *)?class/
}

function close_scope(was) {
  was = kind[scopes]
  scopes--
  if (was != "namespace") emit("close", "")
}

function end_statement(text) {
  text = trim(statement)
  statement = ""
  if (text == "") return
  if (text ~ /^(friend|static_assert)/ || text ~ /^(class|struct|enum class|enum) [A-Za-z_0-9:]+$/) {
    doc = waiting = ""
    return
  }
  emit("decl", text)
}

function feed(code, i, c, text) {
  for (i = 1; i <= length(code); i++) {
    c = substr(code, i, 1)
    text = trim(statement)
    if (quoted(code, i)) {
      if (body == 0) statement = statement c
    } else if (body > 0) {
      body += (c == "{") - (c == "}")
      if (body == 0) end_statement()
    } else if (c == "{" && braces == 0 && parens == 0 && (text == "" || is_function(text))) {
      body = 1
      sub(/\) *: *[a-z_].*/, ")", statement)
    } else if (c == "{" && braces == 0 && parens == 0 && is_scope(text)) {
      statement = ""
      open_scope(text)
    } else if (c == "}" && braces == 0) {
      if (kind[scopes] == "enum" && text != "") emit("value", text)
      statement = ""
      close_scope()
    } else if (c == ";" && braces == 0 && parens == 0) {
      end_statement()
    } else if (c == "," && kind[scopes] == "enum" && braces == 0 && parens == 0) {
      emit("value", text)
      statement = ""
    } else if (c == ":" && text ~ /^(public|private|protected)$/) {
      hidden[scopes] = inherited[scopes] || text == "private"
      statement = ""
    } else {
      braces += (c == "{") - (c == "}")
      parens += (c == "(") - (c == ")")
      statement = statement c
    }
  }
  statement = statement " "
}

# Is the character at this place of the line within "…" or '…'? The ' in 60'000 is none.
function quoted(text, at, i, c, open) {
  for (i = 1; i <= at; i++) {
    c = substr(text, i, 1)
    if (open != "" && c == "\\") i++
    else if (open != "" && c == open) open = i == at ? open : ""
    else if (open == "" && (c == "\"" || (c == "'" && substr(text, i - 1, 1) !~ /[0-9A-Za-z]/))) open = c
  }
  return open != ""
}

function comment_at(text, i) {
  for (i = index(text, "//"); i > 0 && i < length(text); i++) {
    if (substr(text, i, 2) == "//" && !quoted(text, i)) return i
  }
  return 0
}

FNR == 1 {
  items++
  header = items
  line[items] = "header\t0\t" substr(FILENAME, match(FILENAME, /tenure\/[^\/]*$/))
  leading = 1
}
/^[ ]*\/\/\// {
  sub(/^[ ]*\/\/\/ ?/, "")
  doc = with(doc, trim($0))
  next
}
/^[ ]*\/\// {
  sub(/^[ ]*\/\/ ?/, "")
  if (leading) before[header] = with(before[header], trim($0))
  else if (noted) behind[noted] = with(behind[noted], trim($0))
  next
}
/^#/ || /^[ ]*$/ {
  leading = noted = 0
  next
}
{
  had = items
  noted = 0
  at = comment_at($0)
  if (at == 0) {
    feed($0)
    next
  }
  note = trim(substr($0, at + 2))
  feed(substr($0, 1, at - 1))
  if (items > had && line[items] !~ /^close/) {
    behind[items] = note
    noted = items  # it may go on in the next line
  } else if (trim(statement) != "") {
    waiting = note
  }
}
END {
  for (i = 1; i <= items; i++) print line[i] "\t" before[i] "\t" behind[i]
}
