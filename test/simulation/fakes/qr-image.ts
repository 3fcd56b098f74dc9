/** `qrImageBase64` for the service: the text itself, which is the same for the same text as an image is. */
export function qrImageBase64(payload: string): string {
  return Buffer.from(payload).toString('base64');
}
