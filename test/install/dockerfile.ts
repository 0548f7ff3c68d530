/** Reads the part of the language of Dockerfiles that `deploy/Dockerfile` is written in. Whatever else it says is an error. */

/** `FROM` and what follows. */
export interface Stage {
  /** What `FROM` names, with variables replaced. */
  readonly base: string;
  readonly name: string;
  readonly steps: readonly Step[];
}

export type Step =
  | {
      readonly do: 'copy';
      readonly from: string | undefined;
      readonly source: string;
      readonly target: string;
    }
  | { readonly do: 'run'; readonly command: string }
  | { readonly do: 'workdir'; readonly folder: string };

/** What the last stage says of the container. */
export interface Image {
  readonly stages: readonly Stage[];
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
  readonly volume: string;
  readonly entrypoint: readonly string[];
  readonly healthCheck: readonly string[];
}

export function readDockerfile(text: string): Image {
  const variables: Record<string, string> = {};
  const environment: Record<string, string> = {};
  const stages: { base: string; name: string; steps: Step[] }[] = [];
  const said: Record<string, string> = {};
  const instructions = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter(line => line.trim() !== '');
  for (const line of instructions) {
    const [, instruction = '', words = ''] = /^(\w+)\s+(.*)$/.exec(line.trim()) ?? [];
    const step = (given: Step): void => void stages.at(-1)?.steps.push(given);
    switch (instruction) {
      case 'ARG': {
        const [name = '', value = ''] = words.split('=');
        variables[name] = value;
        break;
      }
      case 'FROM': {
        const [base = '', name = ''] = words.split(/\s+AS\s+/);
        stages.push({
          base: base.replaceAll(/\$\{(\w+)\}/g, (_, each: string) => variables[each] ?? ''),
          name,
          steps: [],
        });
        break;
      }
      case 'WORKDIR':
        step({ do: 'workdir', folder: words });
        break;
      case 'COPY': {
        const [, from, source = '', target = ''] = /^(?:--from=(\w+)\s+)?(\S+)\s+(\S+)$/.exec(words) ?? [];
        step({ do: 'copy', from, source, target });
        break;
      }
      case 'RUN':
        step({ do: 'run', command: words });
        break;
      case 'ENV':
        for (const pair of words.split(/\s+/)) {
          const [name = '', value = ''] = pair.split('=');
          environment[name] = value;
        }
        break;
      case 'HEALTHCHECK':
      case 'USER':
      case 'VOLUME':
      case 'ENTRYPOINT':
      case 'EXPOSE':
      case 'STOPSIGNAL':
        said[instruction] = words;
        break;
      default:
        throw new Error(`this reader of Dockerfiles does not know ${instruction}`);
    }
  }
  if (said['STOPSIGNAL'] !== 'SIGTERM') throw new Error('a container is stopped by SIGTERM');
  return {
    stages,
    environment,
    user: said['USER'] ?? '0',
    volume: said['VOLUME'] ?? '',
    entrypoint: JSON.parse(said['ENTRYPOINT'] ?? '[]') as string[],
    healthCheck: JSON.parse(/CMD\s+(.*)$/.exec(said['HEALTHCHECK'] ?? '')?.[1] ?? '[]') as string[],
  };
}
