#include "cli/shell.h"

#include <histedit.h>

#include <cstdlib>
#include <set>
#include <utility>

#include "base/text.h"
#include "cli/command.h"

namespace mica::cli {

namespace {

constexpr int kHistoryLines = 10000;

struct Editor {
  Runner* runner = nullptr;
  std::string pending;  // lines of a statement that has not ended
  EditLine* line = nullptr;
  History* history = nullptr;
  HistEvent event = {};
  std::string history_file;
  bool dropped = false;  // Ctrl-C was typed
};

char* Prompt(EditLine* line) {
  Editor* editor = nullptr;
  el_get(line, EL_CLIENTDATA, &editor);
  static char first[] = "mica> ";
  static char next[] = "   -> ";
  return editor != nullptr && !editor->pending.empty() ? next : first;
}

std::string CommonBeginning(const std::vector<Completion>& items) {
  std::string common = items.front().text;
  for (const Completion& item : items) {
    size_t length = 0;
    while (length < common.size() && length < item.text.size() && common[length] == item.text[length]) ++length;
    common.resize(length);
  }
  return common;
}

unsigned char Complete(EditLine* line, int) {
  Editor* editor = nullptr;
  el_get(line, EL_CLIENTDATA, &editor);
  const LineInfo* info = el_line(line);
  std::string before = editor->pending + std::string(info->buffer, info->cursor);
  std::vector<Completion> items = editor->runner->session().Complete(before);
  if (items.empty()) return CC_ERROR;
  std::string common = CommonBeginning(items);
  size_t typed = before.size() - items.front().start;
  if (common.size() > typed || (items.size() == 1 && common.size() == typed)) {
    el_deletestr(line, static_cast<int>(typed));
    std::string text = common + (items.size() == 1 ? " " : "");
    el_insertstr(line, text.c_str());
    return CC_REFRESH;
  }
  std::set<std::string> names;
  for (const Completion& item : items) names.insert(item.text);
  std::fputc('\n', stdout);
  size_t column = 0;
  for (const std::string& name : names) {
    if (column > 0 && column + name.size() > 78) {
      std::fputc('\n', stdout);
      column = 0;
    }
    std::printf("%s  ", name.c_str());
    column += name.size() + 2;
  }
  std::fputc('\n', stdout);
  return CC_REDISPLAY;
}

unsigned char Drop(EditLine* line, int) {
  Editor* editor = nullptr;
  el_get(line, EL_CLIENTDATA, &editor);
  editor->dropped = true;
  return CC_NEWLINE;
}

void Remember(Editor& editor, const std::string& statement) {
  std::string one_line = statement;
  for (char& c : one_line) c = c == '\n' ? ' ' : c;
  history(editor.history, &editor.event, H_ENTER, one_line.c_str());
  if (!editor.history_file.empty()) history(editor.history, &editor.event, H_SAVE, editor.history_file.c_str());
}

}  // namespace

int RunShell(Runner& runner) {
  Editor editor;
  editor.runner = &runner;
  editor.line = el_init("mica", stdin, stdout, stderr);
  editor.history = history_init();
  if (const char* home = std::getenv("HOME")) editor.history_file = std::string(home) + "/.mica_history";
  history(editor.history, &editor.event, H_SETSIZE, kHistoryLines);
  if (!editor.history_file.empty()) history(editor.history, &editor.event, H_LOAD, editor.history_file.c_str());
  el_set(editor.line, EL_CLIENTDATA, &editor);
  el_set(editor.line, EL_PROMPT, Prompt);
  el_set(editor.line, EL_EDITOR, "emacs");
  el_set(editor.line, EL_HIST, history, editor.history);
  el_set(editor.line, EL_ADDFN, "mica-complete", "Complete a name", Complete);
  el_set(editor.line, EL_BIND, "^I", "mica-complete", nullptr);
  el_set(editor.line, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  // At the prompt Ctrl-C is a key: the line editor would swallow the first interruption of its reading.
  el_set(editor.line, EL_SETTY, "-d", "intr=", nullptr);
  el_set(editor.line, EL_ADDFN, "mica-drop", "Drop what was typed", Drop);
  el_set(editor.line, EL_BIND, "^C", "mica-drop", nullptr);
  // What becomes of a Ctrl-D that came between the prompt and the editor's taking the terminal. The editor has the keys
  // that it switched off there, one of which quotes the key after it.
  el_set(editor.line, EL_BIND, "^@", "ed-ignore", nullptr);
  el_set(editor.line, EL_SIGNAL, 0);
  std::puts("Mica shell. '.help' for commands, statements end with ';'.");

  bool ends = false;
  while (!ends) {
    int count = 0;
    // A key that came while the terminal was not the editor's was a signal, which the editor would not notice.
    if (runner.running().TakeInterrupted()) editor.pending.clear();
    const char* text = el_gets(editor.line, &count);
    if (std::exchange(editor.dropped, false) || runner.running().TakeInterrupted()) {
      editor.pending.clear();
      if (text == nullptr) el_reset(editor.line);
      continue;
    }
    if (text == nullptr || count <= 0) break;
    std::string line(text, static_cast<size_t>(count));
    if (editor.pending.empty() && Trim(line).starts_with('.')) {
      std::string command(Trim(line));
      Remember(editor, command);
      ends = RunDotCommand(runner, command);
      continue;
    }
    editor.pending += line;
    if (Trim(editor.pending).empty()) {
      editor.pending.clear();
      continue;
    }
    bool complete = false;
    std::vector<std::string> statements = runner.session().Split(editor.pending, &complete);
    if (!statements.empty() && !complete) continue;
    std::string typed = std::move(editor.pending);
    editor.pending.clear();
    if (statements.empty()) continue;
    Remember(editor, std::string(Trim(typed)));
    for (const std::string& statement : statements) {
      ends = IsFarewell(statement);
      if (ends || runner.RunStatement(statement) != kDone) break;
    }
    runner.running().TakeInterrupted();
  }
  history_end(editor.history);
  el_end(editor.line);
  return kDone;
}

}  // namespace mica::cli
