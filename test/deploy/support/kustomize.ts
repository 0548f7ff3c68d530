/**
 * What `kubectl kustomize` makes of `deploy/kubernetes`. kustomize is in no registry that the tests may ask, so this does what the files
 * use of it, `resources` and `images`, and refuses everything else.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { parseManifests, type Manifest } from './manifest.ts';

interface Image {
  readonly name: string;
  readonly newName: string;
  readonly newTag: string;
}

interface Kustomization {
  readonly apiVersion: 'kustomize.config.k8s.io/v1beta1';
  readonly kind: 'Kustomization';
  readonly resources: readonly string[];
  readonly images: readonly Image[];
}

const known = ['apiVersion', 'kind', 'resources', 'images'];

export function readKustomization(folder: string): Kustomization {
  const kustomization = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')) as Kustomization;
  const foreign = Object.keys(kustomization).filter(name => !known.includes(name));
  if (foreign.length > 0) throw new Error(`kustomization.yaml: ${foreign.join(', ')} is not done here`);
  if (
    kustomization.apiVersion !== 'kustomize.config.k8s.io/v1beta1' ||
    kustomization.kind !== 'Kustomization'
  )
    throw new Error('kustomization.yaml is of another version');
  return kustomization;
}

/** The objects in the order of the files. */
export function kustomize(folder: string): readonly Manifest[] {
  const { resources, images } = readKustomization(folder);
  const manifests = resources.flatMap(file => parseManifests(readFileSync(join(folder, file), 'utf8'), file));
  for (const image of images) {
    if (replaceImage(manifests, image) === 0)
      throw new Error(`kustomization.yaml: no container is of the image ${image.name}`);
  }
  return manifests;
}

/** Wherever an object has containers, as kustomize does. Returns how many. */
function replaceImage(node: unknown, image: Image): number {
  if (typeof node !== 'object' || node === null) return 0;
  let replaced = 0;
  for (const [name, value] of Object.entries(node)) {
    if ((name === 'containers' || name === 'initContainers') && Array.isArray(value)) {
      for (const container of value as { image: string }[]) {
        if (container.image.split(':')[0] !== image.name) continue;
        container.image = `${image.newName}:${image.newTag}`;
        replaced++;
      }
    } else replaced += replaceImage(value, image);
  }
  return replaced;
}
