/** Preloaded into a child with an IPC channel: kills it at once when its parent has exited, for any reason. */
process.on("disconnect", () => {
  process.kill(process.pid, "SIGKILL");
});
// The channel must not keep the process alive.
process.channel?.unref();
