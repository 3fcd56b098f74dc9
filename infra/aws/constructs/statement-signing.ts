import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectLockRetention, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { DataSettings } from '#infra/settings.ts';

/**
 * The key that signs roots of statements and certificates, and the bucket that keeps each root. Both outlive their
 * stack in every environment: a signature is of use as long as its key is known.
 */
export class StatementSigning extends Construct {
  readonly key: Key;
  readonly roots: Bucket;

  constructor(scope: Construct, id: string, { rootsKept }: DataSettings) {
    super(scope, id);
    this.key = new Key(this, 'Key', {
      description: 'Signs roots of statements and certificates',
      keySpec: KeySpec.ECC_NIST_P256,
      keyUsage: KeyUsage.SIGN_VERIFY,
      // A single-Region key cannot become one later (docs/decisions/035).
      multiRegion: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const { from, days } = rootsKept;
    const kept = Duration.days(days);
    this.roots = new Bucket(this, 'Roots', {
      versioned: true,
      objectLockEnabled: true,
      objectLockDefaultRetention:
        from === 'EVERYONE' ? ObjectLockRetention.compliance(kept) : ObjectLockRetention.governance(kept),
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }
}
