// Streams that pass everything on to another one: the bases of the faulty and the counting streams.
#pragma once

#include <memory>
#include <utility>

#include <arrow/io/interfaces.h>

namespace mica {

class ForwardingInput : public arrow::io::RandomAccessFile {
 public:
  explicit ForwardingInput(std::shared_ptr<arrow::io::RandomAccessFile> inner) : inner_(std::move(inner)) {}

  arrow::Status Close() override { return inner_->Close(); }
  bool closed() const override { return inner_->closed(); }
  arrow::Result<int64_t> Tell() const override { return inner_->Tell(); }
  arrow::Status Seek(int64_t position) override { return inner_->Seek(position); }
  arrow::Result<int64_t> GetSize() override { return inner_->GetSize(); }
  arrow::Result<int64_t> Read(int64_t bytes, void* out) override { return inner_->Read(bytes, out); }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t bytes) override { return inner_->Read(bytes); }
  using arrow::io::RandomAccessFile::ReadAt;
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t bytes, void* out) override {
    return inner_->ReadAt(position, bytes, out);
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t bytes) override {
    return inner_->ReadAt(position, bytes);
  }
  arrow::Status WillNeed(const std::vector<arrow::io::ReadRange>& ranges) override { return inner_->WillNeed(ranges); }

 protected:
  std::shared_ptr<arrow::io::RandomAccessFile> inner_;
};

class ForwardingOutput : public arrow::io::OutputStream {
 public:
  explicit ForwardingOutput(std::shared_ptr<arrow::io::OutputStream> inner) : inner_(std::move(inner)) {
    set_mode(arrow::io::FileMode::WRITE);
  }

  arrow::Status Close() override { return inner_->Close(); }
  arrow::Status Abort() override { return inner_->Abort(); }
  bool closed() const override { return inner_->closed(); }
  arrow::Result<int64_t> Tell() const override { return inner_->Tell(); }
  using arrow::io::OutputStream::Write;
  arrow::Status Write(const void* data, int64_t bytes) override { return inner_->Write(data, bytes); }
  arrow::Status Flush() override { return inner_->Flush(); }

 protected:
  std::shared_ptr<arrow::io::OutputStream> inner_;
};

}  // namespace mica
