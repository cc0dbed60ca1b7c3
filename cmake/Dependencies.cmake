# Finds Arrow, Parquet and DuckDB: the system's where it has them, otherwise the pinned binaries of tools/setup.
# Defines the targets mica::arrow (with compute and Parquet), mica::arrow_s3 and mica::duckdb.

execute_process(COMMAND ${CMAKE_SOURCE_DIR}/tools/setup --print OUTPUT_VARIABLE MICA_DEPS_DEFAULT OUTPUT_STRIP_TRAILING_WHITESPACE)
set(MICA_DEPS ${MICA_DEPS_DEFAULT} CACHE PATH "Folder of the pinned binaries that tools/setup made")
option(MICA_SYSTEM_ARROW "Use an installed Arrow and Parquet (find_package) instead of the pinned ones" OFF)

if(MICA_SYSTEM_ARROW)
  find_package(Arrow 26 REQUIRED)
  find_package(Parquet 26 REQUIRED)
  add_library(mica_arrow INTERFACE)
  target_link_libraries(mica_arrow INTERFACE Arrow::arrow_shared Parquet::parquet_shared)
  add_library(mica::arrow_s3 ALIAS mica_arrow)
else()
  if(NOT EXISTS ${MICA_DEPS}/lib/libarrow.so)
    message(FATAL_ERROR "No Arrow in '${MICA_DEPS}'. Run tools/setup first.")
  endif()
  add_library(mica_arrow INTERFACE)
  target_include_directories(mica_arrow SYSTEM INTERFACE ${MICA_DEPS}/include)
  target_link_libraries(mica_arrow INTERFACE
    ${MICA_DEPS}/lib/libarrow.so ${MICA_DEPS}/lib/libarrow_compute.so ${MICA_DEPS}/lib/libparquet.so)
  add_library(mica_arrow_s3 INTERFACE)
  target_link_libraries(mica_arrow_s3 INTERFACE mica_arrow ${MICA_DEPS}/lib/libarrow_s3.so)
  add_library(mica::arrow_s3 ALIAS mica_arrow_s3)
endif()
add_library(mica::arrow ALIAS mica_arrow)

# DuckDB's C++ classes keep their layout within one exact version only, so headers and library come together.
add_library(mica_duckdb INTERFACE)
set(duckdb_third_party parquet thrift lz4 brotli/include snappy zstd/include mbedtls/include fastpforlib utf8proc/include)
list(TRANSFORM duckdb_third_party PREPEND ${MICA_DEPS}/duckdb/third_party/)
target_include_directories(mica_duckdb SYSTEM INTERFACE
  ${MICA_DEPS}/duckdb/src/include ${MICA_DEPS}/duckdb/extension/parquet/include ${duckdb_third_party})
target_link_libraries(mica_duckdb INTERFACE ${MICA_DEPS}/lib/libduckdb.so)
add_library(mica::duckdb ALIAS mica_duckdb)

find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)
find_package(CLI11 REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark)
find_package(PkgConfig REQUIRED)
pkg_check_modules(libedit REQUIRED IMPORTED_TARGET libedit)
pkg_check_modules(httplib REQUIRED IMPORTED_TARGET cpp-httplib)
find_path(ROARING_INCLUDE roaring/roaring.h REQUIRED)
find_library(ROARING_LIBRARY roaring REQUIRED)
