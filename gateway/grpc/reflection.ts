/** Reflection: lets grpcurl, `buf curl` and others read the contract from the server. */
import { ReflectionService } from '@grpc/reflection';
import { describeContract } from './descriptors.ts';

export function createReflection(): ReflectionService {
  // The service takes the descriptors of any definition, and reads nothing else of it.
  return new ReflectionService({
    contract: {
      format: 'Protocol Buffer 3 EnumDescriptorProto',
      type: {},
      fileDescriptorProtos: describeContract().map(bytes => Buffer.from(bytes)),
    },
  });
}
