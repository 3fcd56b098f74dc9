import { nowMs } from '../platform/clock.ts';
import { log } from '../platform/log.ts';
import { emit } from '../platform/metrics.ts';

/**
 * Counts the warnings of API Gateway about the truststore of the domain that banks call. API Gateway has no metric of
 * them, and it refuses a bank with an unusable certificate authority before it calls a function.
 *
 * @param read The warnings.
 * @throws Error when they cannot be read
 */
export async function checkTruststore(read: () => Promise<readonly string[]>): Promise<void> {
  const warnings = await read();
  emit(nowMs(), 'bank', { service: 'bank' }, [{ name: 'TruststoreWarnings', unit: 'Count', value: warnings.length }]);
  if (warnings.length > 0)
    log('error', 'API Gateway reported warnings about the truststore of the callback domain', {
      warnings: warnings.join(' '),
    });
}
