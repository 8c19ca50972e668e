import { Argument, CliCommand } from '@kontoport/command';

type Command = CliCommand['commands'][number];

/** The words that may follow a command; `path` is the names of the commands before, each after a space. */
interface Place {
  path: string;
  words: readonly string[];
}

function placesOf(command: Command, path = ''): Place[] {
  const words = [
    ...command.commands.map((each) => each.name()),
    ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    ...command.options.flatMap(({ long }) => (long == null ? [] : [long])),
    '--help',
  ];
  return [{ path, words }, ...command.commands.flatMap((each) => placesOf(each, `${path} ${each.name()}`))];
}

/** A script for each shell. It follows the words to the place of the command, and offers the words of that place. */
const SCRIPTS: Readonly<Record<string, (places: readonly Place[]) => string>> = {
  bash: (places) => `_kontoport() {
  local place= words= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$place $word" in
      ${commandsIn(places, '|')}) place="$place $word" ;;
    esac
  done
  case "$place" in
${places.map(({ path, words }) => `    "${path}") words="${words.join(' ')}" ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _kontoport kontoport`,
  zsh: (places) => `_kontoport() {
  local place= word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place $word" in
      ${commandsIn(places, '|')}) place="$place $word" ;;
    esac
  done
  case "$place" in
${places.map(({ path, words }) => `    "${path}") compadd -- ${words.join(' ')} ;;`).join('\n')}
  esac
  _files
}
compdef _kontoport kontoport`,
  fish: (places) => `function __kontoport_words
  set -l place ""
  for word in (commandline -opc)[2..]
    switch "$place $word"
      case ${commandsIn(places, ' ')}
        set place "$place $word"
    end
  end
  switch "$place"
${places.map(({ path, words }) => `    case "${path}"\n      printf '%s\\n' ${words.join(' ')}`).join('\n')}
  end
end
complete -c kontoport -a '(__kontoport_words)'`,
};

const commandsIn = (places: readonly Place[], separator: string): string =>
  places
    .filter(({ path }) => path !== '')
    .map(({ path }) => `"${path}"`)
    .join(separator);

/** `kontoport completion`: the script with which a shell completes commands and options. */
export const completionCommand = new CliCommand('completion')
  .summary('prints the completion script of a shell')
  .description(
    "Prints the script with which a shell completes commands and options. It completes the word kontoport: alias kontoport='npx kontoport'.",
  )
  .addArgument(new Argument('<SHELL>').choices(Object.keys(SCRIPTS)))
  .addHelpText(
    'after',
    `
Example: npx kontoport completion bash >> ~/.bashrc
         npx kontoport completion zsh >> ~/.zshrc
         npx kontoport completion fish > ~/.config/fish/completions/kontoport.fish`,
  )
  .action((shell: string, _options: object, { parent }: Command) =>
    console.log(SCRIPTS[shell]!(placesOf(parent!))),
  );
