import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { DomainName, EndpointType, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { DomainSettings } from '#infra/settings.ts';

/** The API under a host name of the company, with client certificates if it asks for them. */
export class OwnDomain extends Construct {
  constructor(scope: Construct, id: string, props: { settings: DomainSettings; api: RestApi }) {
    super(scope, id);
    const { hostName, certificateArn, clientAuthorities } = props.settings;
    const domain = new DomainName(this, 'Domain', {
      domainName: hostName,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
      ...(clientAuthorities !== undefined && { mtls: trustStore(this, clientAuthorities) }),
    });
    domain.addBasePathMapping(props.api);
    new CfnOutput(Stack.of(this), 'DomainAliasTarget', {
      description: `Host that the DNS record of ${hostName} points to`,
      value: domain.domainNameAliasDomainName,
    });
  }
}

/** @throws Error when the address is not `s3://bucket/key`. */
function trustStore(scope: Construct, address: string) {
  const [, bucketName, key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(address) ?? [];
  if (bucketName === undefined || key === undefined) throw new Error(`Not an S3 address of a file: ${address}`);
  return { bucket: Bucket.fromBucketName(scope, 'Authorities', bucketName), key };
}
