/** The process's entry. The commands live in src/cli/. */
process.stderr.write("platform-operator: this build has no commands yet\n");
process.exitCode = 2;
