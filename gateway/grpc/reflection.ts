/**
 * Reflection: how grpcurl, `buf curl` and others learn the contract from the server. They link the described files with those that they
 * have themselves, so the descriptors are those that the compiler makes (`npm run proto`). The ones of proto-loader cannot be linked:
 * one file for each package under a name of its own, without dependencies, with fields in camel case.
 */
import { readFileSync } from 'node:fs';
import { ReflectionService } from '@grpc/reflection';

/** A `google.protobuf.FileDescriptorSet` of the contract and of all that it imports. */
const descriptorSet = new URL('../../protocol/gen/internal.binpb', import.meta.url);

export function createReflection(): ReflectionService {
  const fileDescriptorProtos = splitFiles(readFileSync(descriptorSet));
  // The service reads the files only, from whatever definition it finds them in.
  return new ReflectionService({
    contract: { format: 'Protocol Buffer 3 EnumDescriptorProto', type: {}, fileDescriptorProtos },
  });
}

/** The files of the set, in whose encoding each is preceded by the tag of field 1 and by its length as a varint. */
function splitFiles(set: Buffer): Buffer[] {
  const files: Buffer[] = [];
  let at = 0;
  while (at < set.length) {
    if (set[at++] !== 0x0a) throw new Error(`${descriptorSet.pathname} is not a FileDescriptorSet`);
    let length = 0;
    for (let shift = 0, more = true; more; shift += 7) {
      const byte = set[at++] ?? 0;
      length += (byte & 0x7f) << shift;
      more = byte >= 0x80;
    }
    files.push(set.subarray(at, (at += length)));
  }
  return files;
}
