/**
 * `skein completion <shell>` prints the script that a shell needs; the script asks `skein complete -- words` at each TAB. Only here all
 * commands are loaded.
 */
import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import type { CommandDefinition } from './command.ts';
import { readProfiles } from './profiles.ts';
import { commands, createProgram } from './program.ts';

/**
 * Ours, because the library's needs a package that not every machine has, cannot be read twice by one shell, and evaluates the line at TAB,
 * with every `$(...)` in it. Words come to it as they were typed; each line of the answer is a word, a tab and what it means; the last one a
 * number, whose bit 4 says that no files are meant.
 */
const bashScript = `# bash completion for skein. To keep it: skein completion bash > ~/.local/share/bash-completion/completions/skein
_skein() {
  local line last=:0
  COMPREPLY=()
  while IFS= read -r line; do
    last=$line
    [[ $line == :* ]] || COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(skein complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ $last == :* ]] && (( \${last#:} & 4 )); then compopt +o default 2>/dev/null; fi
}
complete -o default -F _skein skein
`;

export async function complete(words: readonly string[], version: string): Promise<void> {
  if (words[0] === 'completion' && words[1] === 'bash') return void process.stdout.write(bashScript);
  const program = await createProgram(
    version,
    () => true,
    () => Promise.resolve(),
  );
  for (const { load } of Object.values(commands)) {
    const loaded = await load();
    if (!('commands' in loaded)) addChoices(program, loaded);
  }
  const completion = tab(program, { completionCommandName: 'completion' });
  const names = await listProfiles();
  const option = completion.options.get('profile');
  if (option !== undefined) option.handler = offer => names.forEach(name => offer(name, ''));
  await program.parseAsync(words, { from: 'user' });
}

function addChoices(program: Command, { usage, choices }: CommandDefinition): void {
  if (choices === undefined) return;
  const name = usage.split(' ')[0];
  program.commands.find(command => command.name() === name)?.registeredArguments[0]?.choices([...choices()]);
}

/** A profile that cannot be read is no reason for an error in the middle of a line. */
async function listProfiles(): Promise<string[]> {
  try {
    return Object.keys((await readProfiles()).profiles);
  } catch {
    return [];
  }
}
