/** Preloaded into a child with an IPC channel: ends it at once when its parent is gone, however that died. */
process.on("disconnect", () => {
  process.kill(process.pid, "SIGKILL");
});
// The channel alone keeps nothing alive.
process.channel?.unref();
