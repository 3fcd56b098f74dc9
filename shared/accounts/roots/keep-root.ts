import { PutObjectCommand, S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { endAfterMs } from '#shared/platform/call-limit.ts';
import type { KeepRoot } from './sign-minute.ts';

/** The client of the bucket. A call that hangs ends before the function does. */
const s3 = new S3Client({
  maxAttempts: 2,
  // Emulators have no name for each bucket.
  forcePathStyle: true,
  requestHandler: endAfterMs(5000),
});

/** Returns the object of a minute, `2026/01/15/15-04.jws`. */
function objectOf(minute: string): string {
  return `${minute.replaceAll('-', '/').replace('T', '/').replace(':', '-')}.jws`;
}

/** Keeps roots in a bucket, whose Object Lock lets nobody delete them. A second one of a minute changes nothing. */
export function keepInBucket(Bucket: string): KeepRoot {
  return async (minute, jws) => {
    const put = new PutObjectCommand({
      Bucket,
      Key: objectOf(minute),
      Body: jws,
      ContentType: 'application/jose',
      // The bucket has versions: without it a second one would be the newest.
      IfNoneMatch: '*',
    });
    try {
      await s3.send(put);
    } catch (error) {
      if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 412) return;
      throw error;
    }
  };
}
