import type { HttpResponse } from '../api/request.ts';

/** A refusal of S3 (Amazon S3 API reference, "Error responses"). */
export class S3Refusal extends Error {
  override readonly name = 'S3Refusal';
  readonly status: number;
  readonly code: string;

  /** @param message A text without characters that XML escapes. */
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Returns the refusal of what S3 does and the local environment does not. */
export function notLocal(what: string): S3Refusal {
  return new S3Refusal(501, 'NotImplemented', `The local environment does not support ${what}.`);
}

/** Returns the refusal as an HTTP response in XML. */
export function respondTo({ status, code, message }: S3Refusal): HttpResponse {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return { status, headers: { 'Content-Type': 'application/xml' }, body: Buffer.from(xml) };
}
