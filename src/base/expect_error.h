// For tests: EXPECT_ERROR(statement, Conflict, "snapshot 7") expects an Error of that kind whose text holds the words.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "base/error.h"

#ifndef EXPECT_ERROR
#define EXPECT_ERROR(statement, kind_name, words)                                            \
  do {                                                                                       \
    try {                                                                                    \
      statement;                                                                             \
      ADD_FAILURE() << "expected an error of kind " #kind_name;                              \
    } catch (const ::mica::Error& caught) {                                                  \
      EXPECT_EQ(caught.kind(), ::mica::ErrorKind::k##kind_name) << caught.what();            \
      EXPECT_NE(std::string(caught.what()).find(words), std::string::npos) << caught.what(); \
    }                                                                                        \
  } while (false)
#endif
