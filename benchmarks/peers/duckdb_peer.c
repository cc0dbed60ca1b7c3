// The limit that Mica is measured against: a bare libduckdb process that runs statements and prints the rows of the last
// one, in the form of the peers.   duckdb_peer [--repeat=N] STATEMENT...
#include <duckdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double NowMillis(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void PrintRows(duckdb_result* result) {
  idx_t rows = duckdb_row_count(result), columns = duckdb_column_count(result);
  for (idx_t row = 0; row < rows && row < 20; ++row) {
    printf("RESULT");
    for (idx_t column = 0; column < columns; ++column) {
      char* text = duckdb_value_varchar(result, column, row);
      printf(" %s", text ? text : "NULL");
      duckdb_free(text);
    }
    printf("\n");
  }
}

int main(int count, char** values) {
  duckdb_database database;
  duckdb_connection connection;
  if (duckdb_open(NULL, &database) || duckdb_connect(database, &connection)) return 2;
  int repeat = 1;
  for (int i = 1; i < count; ++i) {
    if (strncmp(values[i], "--repeat=", 9) == 0) {
      repeat = atoi(values[i] + 9);
      continue;
    }
    int last = i == count - 1;
    for (int k = 0; k < (last ? repeat : 1); ++k) {
      duckdb_result result;
      double started = NowMillis();
      if (duckdb_query(connection, values[i], &result)) {
        fprintf(stderr, "%s\n", duckdb_result_error(&result));
        return 1;
      }
      if (last) printf("ITER %.3f\n", NowMillis() - started);
      if (last && k == repeat - 1) PrintRows(&result);
      duckdb_destroy_result(&result);
    }
  }
  duckdb_disconnect(&connection);
  duckdb_close(&database);
  return 0;
}
