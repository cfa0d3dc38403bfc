/**
 * The command `completion`: prints scripts with which a shell, or kubectl, asks `__complete` (complete.ts) for the
 * candidates for the next word of a command line.
 */
import { command } from "./base/command.ts";

const BASH = `# source <(platform-operator completion bash)
_platform_operator() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    [[ $line == :0 ]] && compopt -o default
    [[ $line == :* ]] || COMPREPLY+=("\${line%%$'\\t'*}")
  done < <("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _platform_operator platform-operator kubectl-platform
`;

const ZSH = `#compdef platform-operator kubectl-platform
# source <(platform-operator completion zsh)
_platform_operator() {
  local line
  local -a candidates
  for line in "\${(@f)$(\${words[1]} __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ $line == :0 ]] && _files
    [[ $line == :* || -z $line ]] || candidates+=("\${\${line//:/\\:}/$'\\t'/:}")
  done
  _describe 'platform-operator' candidates
}
compdef _platform_operator platform-operator kubectl-platform
`;

const FISH = `# platform-operator completion fish | source
function __platform_operator_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l lines ($words[1] __complete $words[2..-1] 2>/dev/null)
  string match --invert --regex '^:\\d+$' -- $lines
  contains -- :0 $lines; and __fish_complete_path (commandline -ct)
end
complete -c platform-operator -f -a '(__platform_operator_complete)'
complete -c kubectl-platform -f -a '(__platform_operator_complete)'
`;

const KUBECTL = `#!/bin/sh
# Save as kubectl_complete-platform on PATH, executable: kubectl then completes "kubectl platform".
exec kubectl-platform __complete "$@"
`;

const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH, kubectl: KUBECTL } as const;

export const completionCommand = command({
  asks: "nothing",
  args: [{ name: "shell", about: "the shell", choices: ["bash", "zsh", "fish", "kubectl"] }],
  details:
    "bash: source <(platform-operator completion bash)\nzsh:  source <(platform-operator completion zsh)\n" +
    "fish: platform-operator completion fish | source\n" +
    "kubectl platform: put kubectl_complete-platform on PATH, as a link to this program or with the output for kubectl.",
  run: ({ args, io }) => {
    io.stdout.write(SCRIPTS[args.shell]);
  },
});
