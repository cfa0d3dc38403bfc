/** `invoices send`. */
import { command } from "../base/command.ts";

export const invoicesSend = command({
  asks: "platform",
  details: "The platform sends them to the account holder by e-mail; nothing is downloaded.",
  run: async (call) => {
    await (await call.platform()).organization.sendInvoices();
    call.tell("The platform sends the invoices to the account holder by e-mail.");
  },
});
