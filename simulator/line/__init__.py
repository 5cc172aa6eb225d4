"""The local LINE platform: a package of its own, installed as `line_simulator`, in the checkout `simulator.line`.

Its modules import one another relatively, so that both names work. It needs nothing of the product or of the other stand-ins.
"""
