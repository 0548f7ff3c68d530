/** Objects of Kubernetes as they are written. */
import { parseAllDocuments } from 'yaml';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
}

/** What a file says, read as Kubernetes does: by YAML 1.1, in which an `off` without quotes is a boolean. Throws where it is no YAML. */
export function parseManifests(text: string, file: string): readonly Manifest[] {
  const documents = parseAllDocuments(text, { version: '1.1', strict: true, uniqueKeys: true });
  return [...documents].map(document => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw new Error(`${file}: ${problem.message}`);
    return document.toJS() as Manifest;
  });
}

/** In one order, whatever the order of the files. */
export const toKey = ({ kind, metadata: { name } }: Manifest): string => `${kind} ${name}`;
