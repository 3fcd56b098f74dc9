/** Key of the truststore in its bucket. */
export const truststoreKey = 'truststore.pem';

/** The bucket of the banks' authorities: of one name in all of AWS, which roles and commands know beforehand. */
export function authoritiesBucket(environment: string, account: string, region: string): string {
  return `banking-order-${environment}-authorities-${account}-${region}`;
}
