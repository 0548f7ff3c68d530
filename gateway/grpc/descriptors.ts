/**
 * Descriptors of the gRPC contract, which other programs link with the files that they have themselves. Those of proto-loader cannot be linked:
 * it merges the files of a package, lists no dependencies, and shortens the names of types. Options and reserved names are left out.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';
import descriptors from 'protobufjs/ext/descriptor/index.js';

const { Enum, MapField, Root, Service, Type, util } = protobuf;
const { FileDescriptorProto } = descriptors;
const folder = fileURLToPath(new URL('../../protocol/', import.meta.url));

interface DescribedFile {
  readonly name: string;
  readonly dependency: readonly string[];
  readonly syntax: 'proto3';
  package: string;
  readonly messageType: object[];
  readonly enumType: object[];
  readonly service: object[];
}

/** Returns an encoded `google.protobuf.FileDescriptorProto` for internal.proto and for each file that it imports, directly or not. */
export function describeContract(): readonly Uint8Array[] {
  const root = new Root();
  // protobufjs brings the files of google/protobuf.
  root.resolvePath = (_origin, name) => (existsSync(folder + name) ? folder + name : name);
  root.loadSync('internal.proto', { keepCase: true }).resolveAll();
  const files = listFiles('internal.proto');
  describePackage(root, files);
  return [...files.values()].map(file =>
    FileDescriptorProto.encode(FileDescriptorProto.fromObject(file)).finish(),
  );
}

function listFiles(first: string): ReadonlyMap<string, DescribedFile> {
  const files = new Map<string, DescribedFile>();
  const add = (name: string): void => {
    if (files.has(name)) return;
    const text = existsSync(folder + name) ? readFileSync(folder + name, 'utf8') : '';
    const dependency = [...text.matchAll(/^import "([^"]+)";/gm)].map(([, path = '']) => path);
    files.set(name, {
      name,
      dependency,
      syntax: 'proto3',
      package: '',
      messageType: [],
      enumType: [],
      service: [],
    });
    dependency.forEach(add);
  };
  add(first);
  return files;
}

function describePackage(parent: protobuf.NamespaceBase, files: ReadonlyMap<string, DescribedFile>): void {
  const getFile = ({ filename, name }: protobuf.ReflectionObject): DescribedFile => {
    // Types of google/protobuf do not name their file: it has the name of the type.
    const path = filename?.slice(folder.length) ?? `google/protobuf/${name.toLowerCase()}.proto`;
    const file = files.get(path);
    if (file === undefined) throw new Error(`${path} is imported by no file of the gRPC contract`);
    file.package = parent.fullName.slice(1);
    return file;
  };
  for (const object of parent.nestedArray) {
    if (object instanceof Type) getFile(object).messageType.push(describeType(object));
    else if (object instanceof Enum) getFile(object).enumType.push(describeEnum(object));
    else if (object instanceof Service) getFile(object).service.push(describeService(object));
    else describePackage(object as protobuf.Namespace, files);
  }
}

function describeType(type: protobuf.Type): object {
  const isSynthetic = (oneof: protobuf.OneOf): boolean => oneof.fieldsArray.some(isOptional);
  // The oneofs of optional fields come last.
  const oneofs = type.oneofsArray.toSorted((a, b) => Number(isSynthetic(a)) - Number(isSynthetic(b)));
  const entries = type.fieldsArray.filter(field => field instanceof MapField).map(describeEntry);
  return {
    name: type.name,
    field: type.fieldsArray.map(field => ({
      ...describeField(field),
      ...(field.partOf === null ? {} : { oneofIndex: oneofs.indexOf(field.partOf) }),
    })),
    nestedType: [...entries, ...type.nestedArray.filter(each => each instanceof Type).map(describeType)],
    enumType: type.nestedArray.filter(each => each instanceof Enum).map(describeEnum),
    oneofDecl: oneofs.map(({ name }) => ({ name })),
  };
}

const isOptional = ({ options }: protobuf.Field): boolean => options?.['proto3_optional'] === true;

function describeField(field: protobuf.Field): object {
  const isMap = field instanceof MapField;
  return {
    name: field.name,
    number: field.id,
    label: isMap || field.repeated ? 'LABEL_REPEATED' : 'LABEL_OPTIONAL',
    ...(isMap
      ? { type: 'TYPE_MESSAGE', typeName: `${field.parent?.fullName}.${toEntryName(field)}` }
      : describeValue(field)),
    jsonName: util.camelCase(field.name),
    proto3Optional: isOptional(field),
  };
}

function describeValue({ type, resolvedType }: protobuf.FieldBase): object {
  if (resolvedType === null) return { type: `TYPE_${type.toUpperCase()}` };
  return {
    type: resolvedType instanceof Enum ? 'TYPE_ENUM' : 'TYPE_MESSAGE',
    typeName: resolvedType.fullName,
  };
}

/** A map is a list of messages with a key and a value. */
function describeEntry(field: protobuf.MapField): object {
  const common = { label: 'LABEL_OPTIONAL' };
  return {
    name: toEntryName(field),
    field: [
      { ...common, name: 'key', number: 1, jsonName: 'key', type: `TYPE_${field.keyType.toUpperCase()}` },
      { ...common, name: 'value', number: 2, jsonName: 'value', ...describeValue(field) },
    ],
    options: { mapEntry: true },
  };
}

const toEntryName = ({ name }: protobuf.MapField): string => `${util.ucFirst(util.camelCase(name))}Entry`;

function describeEnum({ name, values }: protobuf.Enum): object {
  return { name, value: Object.entries(values).map(([each, number]) => ({ name: each, number })) };
}

function describeService({ name, methodsArray }: protobuf.Service): object {
  return {
    name,
    method: methodsArray.map(method => ({
      name: method.name,
      inputType: method.resolvedRequestType?.fullName,
      outputType: method.resolvedResponseType?.fullName,
      clientStreaming: method.requestStream,
      serverStreaming: method.responseStream,
    })),
  };
}
