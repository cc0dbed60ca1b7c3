#include "procedures/sql_session.h"

#include <dlfcn.h>

#include <cstring>

#include "base/error.h"
#include "base/text.h"

namespace mica {

namespace {

using OpenFunction = SqlSession* (*)(const SessionSettings*);

bool ComesFrom(const char* symbol, const char* library) {
  Dl_info info;
  void* found = dlsym(RTLD_DEFAULT, symbol);
  return found != nullptr && dladdr(found, &info) != 0 && info.dli_fname != nullptr &&
         std::strstr(info.dli_fname, library) != nullptr;
}

// Lazy: binding all that DuckDB calls within itself would take longer than a short statement. Deep: its tens of thousands
// of symbols are looked for in itself first, not in all other libraries, which takes a quarter off a short statement. Not
// so where something else allocates memory, which has to do it for all libraries.
int LoadingOfDuckDb() {
  constexpr int kFlags = RTLD_LAZY | RTLD_LOCAL;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return kFlags;
#else
  const bool usual = ComesFrom("malloc", "libc.so") && ComesFrom("free", "libc.so") && ComesFrom("_Znwm", "libstdc++") &&
                     ComesFrom("_ZdlPv", "libstdc++");
  return usual ? kFlags | RTLD_DEEPBIND : kFlags;
#endif
}

// The library lies beside libmica.so, or where the loader looks.
OpenFunction LoadSqlLibrary() {
  static OpenFunction open = [] {
    std::string beside = "libmica_sql.so";
    Dl_info info;
    if (dladdr(reinterpret_cast<void*>(&LoadSqlLibrary), &info) != 0 && info.dli_fname != nullptr) {
      std::string path = info.dli_fname;
      size_t slash = path.rfind('/');
      if (slash != std::string::npos) beside = path.substr(0, slash + 1) + beside;
    }
    const int flags = LoadingOfDuckDb();
    void* library = dlopen(beside.c_str(), flags);
    if (library == nullptr) {
      const std::string problem = dlerror();
      library = dlopen("libmica_sql.so", flags);
      if (library == nullptr) throw IoError("The SQL library cannot be loaded: {}. Is the installation complete?", problem);
    }
    void* symbol = dlsym(library, "MicaOpenSession");
    if (symbol == nullptr) throw IoError("The SQL library '{}' is of another version", beside);
    return reinterpret_cast<OpenFunction>(symbol);
  }();
  return open;
}

}  // namespace

std::unique_ptr<SqlSession> OpenSqlSession(const SessionSettings& settings) {
  return std::unique_ptr<SqlSession>(LoadSqlLibrary()(&settings));
}

RenderFormat ParseRenderFormat(std::string_view name) {
  std::string lower = ToLower(name);
  if (lower == "table" || lower == "box") return RenderFormat::kTable;
  if (lower == "csv") return RenderFormat::kCsv;
  if (lower == "json") return RenderFormat::kJson;
  if (lower == "jsonl" || lower == "jsonlines") return RenderFormat::kJsonLines;
  if (lower == "markdown") return RenderFormat::kMarkdown;
  if (lower == "line") return RenderFormat::kLines;
  std::vector<std::string> known = {"table", "csv", "json", "jsonl", "markdown", "line"};
  throw InvalidArgument("The output format '{}' is not known{}. Use one of: {}", name, DidYouMean(name, known),
                        Join(known, ", "));
}

}  // namespace mica
