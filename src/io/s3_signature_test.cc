#include "io/s3_signature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mica {
namespace {

// The worked example "GET Object" of AWS's documentation of Signature Version 4 for S3.
TEST(S3Signature, AgreesWithTheDocumentedExample) {
  S3Request request{.method = "GET",
                    .path = "/test.txt",
                    .headers = {{"host", "examplebucket.s3.amazonaws.com"}, {"range", "bytes=0-9"}}};
  SignS3Request({"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""}, "us-east-1", 1369353600,
                &request);
  EXPECT_THAT(request.headers["authorization"],
              testing::HasSubstr("Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"));
}

// What botocore signs for the same request.
TEST(S3Signature, CoversConditionMarkAndSessionToken) {
  S3Request request{.method = "PUT",
                    .path = "/mica-test/" + EncodeS3Key("db.db/t/dt=10%3A00/ä +(x)"),
                    .headers = {{"host", "127.0.0.1:5000"}, {"if-none-match", "*"}, {"x-amz-meta-mica-publish", "m"}},
                    .body = "{\"id\":1}"};
  SignS3Request({"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "TOKEN/=="}, "eu-central-1", 1796014800,
                &request);
  EXPECT_EQ(request.headers["x-amz-date"], "20261130T050000Z");
  EXPECT_THAT(request.headers["authorization"],
              testing::HasSubstr("Signature=04a81cb6ac521f53ff651f00508a01f9927e0008d8462e1bd400cc3a87d8e4b8"));
}

TEST(S3Signature, EncodesKeys) { EXPECT_EQ(EncodeS3Key("a/b c=%3A~_-.é"), "a/b%20c%3D%253A~_-.%C3%A9"); }

}  // namespace
}  // namespace mica
