/**
 * `skein completion <shell>` prints the script that a shell needs; the script asks `skein complete -- words` at each TAB. Only here all
 * commands are loaded.
 */
import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import type { CommandDefinition } from './command.ts';
import { readProfiles } from './profiles.ts';
import { commands, createProgram } from './program.ts';

/** bash needs functions of a package of its own, which not every machine has. */
const bashNote =
  '# Needs the package bash-completion. To keep it: skein completion bash > ~/.local/share/bash-completion/completions/skein\n';

export async function complete(words: readonly string[], version: string): Promise<void> {
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
  if (words[0] === 'completion' && words[1] === 'bash') process.stdout.write(bashNote);
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
