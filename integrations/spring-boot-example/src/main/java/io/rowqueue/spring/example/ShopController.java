package io.rowqueue.spring.example;

import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** The page with the form. */
@Controller
class ShopController {

  private final OrderService service;
  private final OrderRepository orders;
  private final InvoiceRepository invoices;

  ShopController(OrderService service, OrderRepository orders, InvoiceRepository invoices) {
    this.service = service;
    this.orders = orders;
    this.invoices = invoices;
  }

  @GetMapping("/")
  String show(Model model) {
    model.addAttribute("orders", orders.findAll());
    model.addAttribute("invoices", invoices.findAll());
    return "shop";
  }

  @PostMapping("/")
  String order(@RequestParam String customer, @RequestParam String item) {
    service.place(customer, item);
    return "redirect:/";
  }
}
