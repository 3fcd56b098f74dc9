import type { APIGatewayProxyEvent, Context } from 'aws-lambda';

let calls = 0;

/** Answers with its event, or fails in the way that the query asks for. */
export async function handler(event: APIGatewayProxyEvent, context: Context): Promise<unknown> {
  calls += 1;
  switch (event.queryStringParameters?.['fault']) {
    case 'throw':
      throw new Error('asked to throw');
    case 'hang':
      await new Promise((never) => setTimeout(never, 60_000));
      return undefined;
    case 'exit':
      process.exit(3);
    case 'reject':
      setTimeout(() => {
        throw new Error('outside the handler');
      }, 1);
      await new Promise((never) => setTimeout(never, 60_000));
      return undefined;
    case 'object-body':
      return { statusCode: 200, headers: {}, body: { not: 'a text' } };
    case 'nothing':
      return undefined;
    case 'bad-header':
      return { statusCode: 200, headers: { 'x-broken': 'a\r\nb: c' }, body: '' };
    case 'slow':
      await new Promise((done) => setTimeout(done, 300));
      break;
    case undefined:
      break;
    case 'headers':
      return { statusCode: 201, headers: { 'X-One': 'first', connection: 'close' }, body: 'plain' };
  }
  const environment = {
    stage: process.env['STAGE'],
    region: process.env['AWS_REGION'],
    kms: [process.env['AWS_ENDPOINT_URL_KMS'], process.env['KEY_ARN']],
    s3: [process.env['AWS_ENDPOINT_URL_S3'], process.env['BUCKET_NAME']],
    settings: JSON.parse(process.env['SETTINGS'] ?? '') as unknown,
  };
  const remaining = context.getRemainingTimeInMillis();
  return {
    statusCode: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ event, calls, environment, remaining, sourceMaps: process.sourceMapsEnabled }),
  };
}
