import { createHash, createHmac, createSecretKey } from 'node:crypto';

type Bytes = string | ArrayBuffer | ArrayBufferView;
type Digesting = ReturnType<typeof createHash> | ReturnType<typeof createHmac>;

/**
 * SHA-256, with a key HMAC-SHA256, as clients of the AWS SDK want it for their signatures (option `sha256`). The same
 * digests as the SDK's own, which gives Node the key as bytes: Node takes five times as long to prepare that as it
 * takes for a key object, and each call is signed.
 */
export class Sha256 {
  readonly digestLength = 32;
  readonly #secret: Bytes | undefined;
  #hash: Digesting;

  constructor(secret?: Bytes) {
    this.#secret = secret;
    this.#hash = begin(secret);
  }

  update(data: Bytes): void {
    this.#hash.update(bytesOf(data));
  }

  /** Once: nothing can be added afterwards. */
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }

  reset(): void {
    this.#hash = begin(this.#secret);
  }
}

/** An empty text is no key to the SDK. */
function begin(secret: Bytes | undefined): Digesting {
  if (secret === undefined || secret === '') return createHash('sha256');
  // Node prepares a text as fast as a key object.
  return createHmac('sha256', typeof secret === 'string' ? secret : createSecretKey(bytesOf(secret)));
}

function bytesOf(data: ArrayBuffer | ArrayBufferView): Uint8Array;
function bytesOf(data: Bytes): string | Uint8Array;
function bytesOf(data: Bytes): string | Uint8Array {
  if (typeof data === 'string') return data;
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
