const half = 32;
const sequence = 0x30;
const integer = 0x02;

/**
 * Returns a signature of P-256 as JWS has it, r and s of 32 bytes each (RFC 7518 section 3.4), from the two DER
 * integers of KMS (RFC 3279 section 2.2.3), which have a zero before a high bit and no other.
 * @throws Error for other bytes
 */
export function fixedSignature(der: Buffer): Buffer {
  const [first, length, ...numbers] = der;
  const [r, s, ...more] = integersIn(Buffer.from(numbers));
  if (first !== sequence || length !== numbers.length || r === undefined || s === undefined || more.length > 0)
    throw new Error('The signature of KMS is malformed.');
  return Buffer.concat([r, s]);
}

/** Yields DER integers that follow each other, as 32 bytes each. */
function* integersIn(bytes: Buffer): Generator<Buffer, void, void> {
  for (let at = 0; at < bytes.length;) {
    const end = at + 2 + (bytes[at + 1] ?? 0);
    const digits = bytes.subarray(at + 2, end);
    const value = digits[0] === 0 ? digits.subarray(1) : digits;
    if (bytes[at] !== integer || end > bytes.length || digits.length === 0 || value.length > half)
      throw new Error('The signature of KMS is malformed.');
    yield Buffer.concat([Buffer.alloc(half - value.length), value]);
    at = end;
  }
}
