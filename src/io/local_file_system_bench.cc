// What the small files of a commit cost on the local disk.
#include "io/local_file_system.h"

#include <benchmark/benchmark.h>

#include <arrow/io/interfaces.h>

#include "base/arrow.h"
#include "io/temporary_folder.h"

namespace mica {
namespace {

void CreateAtomically(benchmark::State& state) {
  TemporaryFolder folder;
  LocalFileSystem fs;
  std::string content(1024, 'x');
  int64_t i = 0;
  for (auto _ : state) fs.CreateAtomically(folder.path() + "/snapshot-" + std::to_string(++i), content);
}
BENCHMARK(CreateAtomically)->Unit(benchmark::kMicrosecond);

void ReplaceAtomically(benchmark::State& state) {
  TemporaryFolder folder;
  LocalFileSystem fs;
  for (auto _ : state) fs.ReplaceAtomically(folder.path() + "/LATEST", "12345");
}
BENCHMARK(ReplaceAtomically)->Unit(benchmark::kMicrosecond);

void OpenOutput(benchmark::State& state) {
  TemporaryFolder folder;
  LocalFileSystem fs;
  std::string content(1024, 'x');
  int64_t i = 0;
  for (auto _ : state) {
    auto out = fs.OpenOutput(folder.path() + "/data-" + std::to_string(++i));
    Check(out->Write(content));
    Check(out->Close());
  }
}
BENCHMARK(OpenOutput)->Unit(benchmark::kMicrosecond);

void ReadFile(benchmark::State& state) {
  TemporaryFolder folder;
  LocalFileSystem fs;
  fs.ReplaceAtomically(folder.path() + "/f", std::string(1024, 'x'));
  for (auto _ : state) benchmark::DoNotOptimize(fs.ReadFile(folder.path() + "/f"));
}
BENCHMARK(ReadFile)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace mica
