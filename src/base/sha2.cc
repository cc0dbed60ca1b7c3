#include "base/sha2.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace mica {

namespace {

// The first bits of the fractions of the cube roots of the first primes; SHA-256 has the upper halves of the first 64.
constexpr std::array<uint64_t, 80> kRoots = {
    0x428a2f98d728ae22ULL, 0x7137449123ef65cdULL, 0xb5c0fbcfec4d3b2fULL, 0xe9b5dba58189dbbcULL, 0x3956c25bf348b538ULL,
    0x59f111f1b605d019ULL, 0x923f82a4af194f9bULL, 0xab1c5ed5da6d8118ULL, 0xd807aa98a3030242ULL, 0x12835b0145706fbeULL,
    0x243185be4ee4b28cULL, 0x550c7dc3d5ffb4e2ULL, 0x72be5d74f27b896fULL, 0x80deb1fe3b1696b1ULL, 0x9bdc06a725c71235ULL,
    0xc19bf174cf692694ULL, 0xe49b69c19ef14ad2ULL, 0xefbe4786384f25e3ULL, 0x0fc19dc68b8cd5b5ULL, 0x240ca1cc77ac9c65ULL,
    0x2de92c6f592b0275ULL, 0x4a7484aa6ea6e483ULL, 0x5cb0a9dcbd41fbd4ULL, 0x76f988da831153b5ULL, 0x983e5152ee66dfabULL,
    0xa831c66d2db43210ULL, 0xb00327c898fb213fULL, 0xbf597fc7beef0ee4ULL, 0xc6e00bf33da88fc2ULL, 0xd5a79147930aa725ULL,
    0x06ca6351e003826fULL, 0x142929670a0e6e70ULL, 0x27b70a8546d22ffcULL, 0x2e1b21385c26c926ULL, 0x4d2c6dfc5ac42aedULL,
    0x53380d139d95b3dfULL, 0x650a73548baf63deULL, 0x766a0abb3c77b2a8ULL, 0x81c2c92e47edaee6ULL, 0x92722c851482353bULL,
    0xa2bfe8a14cf10364ULL, 0xa81a664bbc423001ULL, 0xc24b8b70d0f89791ULL, 0xc76c51a30654be30ULL, 0xd192e819d6ef5218ULL,
    0xd69906245565a910ULL, 0xf40e35855771202aULL, 0x106aa07032bbd1b8ULL, 0x19a4c116b8d2d0c8ULL, 0x1e376c085141ab53ULL,
    0x2748774cdf8eeb99ULL, 0x34b0bcb5e19b48a8ULL, 0x391c0cb3c5c95a63ULL, 0x4ed8aa4ae3418acbULL, 0x5b9cca4f7763e373ULL,
    0x682e6ff3d6b2b8a3ULL, 0x748f82ee5defb2fcULL, 0x78a5636f43172f60ULL, 0x84c87814a1f0ab72ULL, 0x8cc702081a6439ecULL,
    0x90befffa23631e28ULL, 0xa4506cebde82bde9ULL, 0xbef9a3f7b2c67915ULL, 0xc67178f2e372532bULL, 0xca273eceea26619cULL,
    0xd186b8c721c0c207ULL, 0xeada7dd6cde0eb1eULL, 0xf57d4f7fee6ed178ULL, 0x06f067aa72176fbaULL, 0x0a637dc5a2c898a6ULL,
    0x113f9804bef90daeULL, 0x1b710b35131c471bULL, 0x28db77f523047d84ULL, 0x32caab7b40c72493ULL, 0x3c9ebe0a15c9bebcULL,
    0x431d67c49c100d4cULL, 0x4cc5d4becb3e42b6ULL, 0x597f299cfc657e2aULL, 0x5fcb6fab3ad6faecULL, 0x6c44198c4a475817ULL,
};

// Of the square roots of the primes 1 to 8, and 9 to 16. SHA-256 has the upper halves of the first, SHA-224 the lower
// ones of the second.
constexpr std::array<uint64_t, 8> kStart512 = {
    0x6a09e667f3bcc908ULL, 0xbb67ae8584caa73bULL, 0x3c6ef372fe94f82bULL, 0xa54ff53a5f1d36f1ULL,
    0x510e527fade682d1ULL, 0x9b05688c2b3e6c1fULL, 0x1f83d9abfb41bd6bULL, 0x5be0cd19137e2179ULL,
};
constexpr std::array<uint64_t, 8> kStart384 = {
    0xcbbb9d5dc1059ed8ULL, 0x629a292a367cd507ULL, 0x9159015a3070dd17ULL, 0x152fecd8f70e5939ULL,
    0x67332667ffc00b31ULL, 0x8eb44a8768581511ULL, 0xdb0c2e0d64f98fa7ULL, 0x47b5481dbefa4fa4ULL,
};

struct Short {
  using Word = uint32_t;
  static constexpr int kRounds = 64;
  static constexpr std::array<int, 6> kSums = {2, 13, 22, 6, 11, 25};
  static constexpr std::array<int, 6> kSchedule = {7, 18, 3, 17, 19, 10};
  static Word Root(int round) { return static_cast<Word>(kRoots[static_cast<size_t>(round)] >> 32); }
};

struct Long {
  using Word = uint64_t;
  static constexpr int kRounds = 80;
  static constexpr std::array<int, 6> kSums = {28, 34, 39, 14, 18, 41};
  static constexpr std::array<int, 6> kSchedule = {1, 8, 7, 19, 61, 6};
  static Word Root(int round) { return kRoots[static_cast<size_t>(round)]; }
};

template <class Word>
Word Rotate(Word x, int bits) {
  return (x >> bits) | (x << (static_cast<int>(sizeof(Word)) * 8 - bits));
}

template <class Kind, class Word = typename Kind::Word>
void Block(const unsigned char* bytes, std::array<Word, 8>* state) {
  std::array<Word, Kind::kRounds> w;
  for (size_t i = 0; i < 16; ++i) {
    w[i] = 0;
    for (size_t k = 0; k < sizeof(Word); ++k) w[i] = (w[i] << 8) | bytes[i * sizeof(Word) + k];
  }
  constexpr auto& s = Kind::kSchedule;
  for (size_t i = 16; i < w.size(); ++i) {
    const Word a = Rotate(w[i - 15], s[0]) ^ Rotate(w[i - 15], s[1]) ^ (w[i - 15] >> s[2]);
    const Word b = Rotate(w[i - 2], s[3]) ^ Rotate(w[i - 2], s[4]) ^ (w[i - 2] >> s[5]);
    w[i] = w[i - 16] + a + w[i - 7] + b;
  }
  constexpr auto& r = Kind::kSums;
  auto [a, b, c, d, e, f, g, h] = *state;
  for (size_t i = 0; i < w.size(); ++i) {
    const Word upper = Rotate(e, r[3]) ^ Rotate(e, r[4]) ^ Rotate(e, r[5]);
    const Word first = h + upper + ((e & f) ^ (~e & g)) + Kind::Root(static_cast<int>(i)) + w[i];
    const Word lower = Rotate(a, r[0]) ^ Rotate(a, r[1]) ^ Rotate(a, r[2]);
    const Word second = lower + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
  }
  const std::array<Word, 8> added = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < 8; ++i) (*state)[i] += added[i];
}

template <class Kind, class Word = typename Kind::Word>
std::string Digest(std::string_view bytes, std::array<Word, 8> state, size_t digest_bytes) {
  constexpr size_t kBlock = 16 * sizeof(Word);
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  size_t at = 0;
  for (; at + kBlock <= bytes.size(); at += kBlock) Block<Kind>(data + at, &state);
  // A bit that is 1, zeros, and the length in bits at the end of a block.
  std::string rest(bytes.substr(at));
  rest += '\x80';
  // The length has two words, of which the last 8 bytes are enough.
  while ((rest.size() + 2 * sizeof(Word)) % kBlock != 0) rest += '\0';
  rest.append(2 * sizeof(Word) - 8, '\0');
  const uint64_t bits = static_cast<uint64_t>(bytes.size()) * 8;
  for (int shift = 56; shift >= 0; shift -= 8) rest += static_cast<char>(bits >> shift);
  for (size_t i = 0; i < rest.size(); i += kBlock)
    Block<Kind>(reinterpret_cast<const unsigned char*>(rest.data()) + i, &state);
  std::string digits;
  for (size_t i = 0; i < digest_bytes; ++i) {
    const Word word = state[i / sizeof(Word)] >> (8 * (sizeof(Word) - 1 - i % sizeof(Word)));
    digits += "0123456789abcdef"[(word >> 4) & 15];
    digits += "0123456789abcdef"[word & 15];
  }
  return digits;
}

}  // namespace

std::string Sha2(std::string_view bytes, int bits) {
  std::array<uint32_t, 8> state = {};
  switch (bits) {
    case 224:
      for (size_t i = 0; i < 8; ++i) state[i] = static_cast<uint32_t>(kStart384[i]);
      return Digest<Short>(bytes, state, 28);
    case 256:
      for (size_t i = 0; i < 8; ++i) state[i] = static_cast<uint32_t>(kStart512[i] >> 32);
      return Digest<Short>(bytes, state, 32);
    case 384:
      return Digest<Long>(bytes, kStart384, 48);
    case 512:
      return Digest<Long>(bytes, kStart512, 64);
    default:
      return {};
  }
}

}  // namespace mica
