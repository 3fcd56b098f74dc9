/** Key of the truststore in its bucket. */
export const truststoreKey = 'truststore.pem';

/** Returns the bucket name of the banks' authorities: unique in AWS, known to roles and commands before it exists. */
export function authoritiesBucket(environment: string, account: string, region: string): string {
  return `banking-order-${environment}-authorities-${account}-${region}`;
}
